import { useEffect, useState } from "hono/jsx/dom";

import type { Policy, Rule, WhatIf } from "../../api/answers.ts";
import type { ApiError } from "../../api/api.ts";
import { useSession } from "../../api/session.ts";
import { textOf } from "../../parts/field.tsx";
import { Empty, Failed, Loading } from "../../parts/states.tsx";
import { linkTo } from "../../parts/view-location.ts";
import {
  changedNumbers,
  type Edited,
  editedBy,
  numbersOf,
  queryOf,
  replayable,
} from "./numbers.ts";
import { WhatIfAnswer } from "./what-if-answer.tsx";
import { WhatIfForm } from "./what-if-form.tsx";

interface WhatIfCardProps {
  readonly rule: Rule;
  readonly index: number;
  readonly query: URLSearchParams;
}

/** Says what other numbers of a policy would have changed in the last hour. */
export function WhatIfCard({ rule, index, query }: WhatIfCardProps) {
  const policies = replayable(rule.policies);
  const linked = editedBy(query, policies);
  const [chosen, choose] = useState(linked?.policy ?? policies[0]?.name);
  const [asked, ask] = useState<Edited | undefined>(linked);
  const policy = policies.find(({ name }) => name === chosen) ?? policies[0];

  function submit(event: Event): void {
    event.preventDefault();
    const data = new FormData(event.target as HTMLFormElement);
    const edited: Edited = {
      policy: policy!.name!,
      numbers: Object.fromEntries(numbersOf(policy!).map((name) => [name, textOf(data, name)])),
      minutes: Number(textOf(data, "minutes")),
    };
    history.replaceState(null, "", linkTo(`rules/${index}`, queryOf(edited)));
    ask(edited);
  }

  return (
    <section class="card what-if" aria-label="What if">
      <h2>What if</h2>
      {policy ? (
        <>
          <p class="muted">
            Replays the sampled requests of the last hour with other numbers, and changes no rule.
          </p>
          <WhatIfForm
            policies={policies}
            policy={policy}
            asked={asked?.policy === policy.name ? asked : undefined}
            choose={(name) => {
              choose(name);
              ask(undefined);
            }}
            submit={submit}
          />
          {asked && <Replay asked={asked} policy={policy} rule={rule} index={index} />}
        </>
      ) : (
        <Empty title="No policy to replay">
          A replay needs a policy that counts requests. Policies that count requests under way,
          failures or denials depend on more than the sample has.
        </Empty>
      )}
    </section>
  );
}

interface ReplayProps {
  readonly asked: Edited;
  readonly policy: Policy;
  readonly rule: Rule;
  readonly index: number;
}

interface Replayed {
  readonly of: Edited;
  readonly answer?: WhatIf;
  readonly error?: ApiError;
}

function Replay({ asked, policy, rule, index }: ReplayProps) {
  const { api } = useSession();
  const [held, setHeld] = useState<Replayed | undefined>(undefined);
  const [tries, setTries] = useState(0);
  const numbers = changedNumbers(policy, asked);
  const isSame = Object.keys(numbers).length === 0;

  useEffect(() => {
    if (isSame) return undefined;
    let isCurrent = true;
    const { policy: name, minutes } = asked;
    api.send<WhatIf>("POST", "/what-if", { body: { policy: name, numbers, minutes } }).then(
      (answer) => isCurrent && setHeld({ of: asked, answer }),
      (error: ApiError) => isCurrent && setHeld({ of: asked, error }),
    );
    return () => {
      isCurrent = false;
    };
  }, [asked, tries]);

  if (isSame) {
    return (
      <Empty title="These are the numbers of now">
        Change one of them to see what it would do.
      </Empty>
    );
  }
  const { answer, error } = held?.of === asked ? held : {};
  if (error?.status === 501) {
    return (
      <Empty title="There is no trace">
        This gateway does not count requests, and keeps none of them. A what-if needs METRICS to be
        on.
      </Empty>
    );
  }
  if (error) {
    const retry = () => {
      setHeld(undefined);
      setTries(tries + 1);
    };
    return <Failed error={error} {...(error.faults.length === 0 && { retry })} />;
  }
  if (!answer) return <Loading what="the sampled requests" />;
  const place = `rules[${index}].policies[${rule.policies.indexOf(policy)}].limit`;
  return <WhatIfAnswer answer={answer} minutes={asked.minutes} rule={rule} place={place} />;
}
