import { useEffect, useState } from "hono/jsx/dom";

import { Loading } from "../parts/states.tsx";

/** The view of the editor, loaded when it is opened: it is more than three times as large as everything else. */
export function EditLater({ at }: { readonly at: string | null }) {
  const [loaded, setLoaded] = useState<typeof import("../edit/edit-view.tsx") | undefined>(
    undefined,
  );
  const [isMissing, setMissing] = useState(false);
  useEffect(() => {
    import("../edit/edit-view.tsx").then(setLoaded, () => setMissing(true));
  }, []);
  if (isMissing) {
    return (
      <div class="state failed" role="alert">
        <strong>The editor did not load</strong>
        <p>The gateway may have been deployed anew since this page was loaded. Reload the page.</p>
      </div>
    );
  }
  return loaded ? <loaded.EditView at={at} /> : <Loading what="the editor" />;
}
