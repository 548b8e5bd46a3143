import { useRef, useState } from "hono/jsx/dom";

import type { ApiError } from "../api/api.ts";
import { Failed } from "../parts/states.tsx";
import { Waves } from "./header.tsx";

interface SignInProps {
  readonly refusal: ApiError | undefined;
  readonly enter: (token: string) => void;
}

export function SignIn({ refusal, enter }: SignInProps) {
  const field = useRef<HTMLInputElement>(null);
  const [fault, setFault] = useState("");

  function submit(event: Event): void {
    event.preventDefault();
    const token = field.current!.value.trim();
    if (/^[!-~]{20,256}$/.test(token)) enter(token);
    else setFault("A token has 20 to 256 printable characters and no blanks.");
  }

  return (
    <main class="sign-in">
      <form class="card" onSubmit={submit}>
        <h1>
          <Waves /> Tidegate
        </h1>
        <p>
          Paste the gateway's <code>ADMIN_TOKEN</code>, or its <code>READ_TOKEN</code> to look only.
        </p>
        <label class="field">
          <span>Token</span>
          <input
            type="password"
            autocomplete="off"
            spellcheck={false}
            required
            ref={field}
            aria-describedby="token-kept"
          />
        </label>
        <p id="token-kept" class="muted">
          This tab keeps it until it is closed.
        </p>
        {fault && (
          <p class="fault" role="alert">
            {fault}
          </p>
        )}
        {refusal && <Failed error={refusal} />}
        <button type="submit" class="primary">
          Sign in
        </button>
      </form>
    </main>
  );
}
