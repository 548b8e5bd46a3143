import { ErrorBoundary, useEffect, useMemo, useState } from "hono/jsx/dom";

import { type ApiError, mayWrite, openApi } from "../api/api.ts";
import { type Offer, READ_ONLY, SessionContext, UNSAVED } from "../api/session.ts";
import { AuditView } from "../audit/audit-view.tsx";
import { ListsView } from "../lists/lists-view.tsx";
import { LiveContext, useTicks } from "../live/live.ts";
import { OverviewView } from "../overview/overview-view.tsx";
import { PartitionView } from "../partition/partition-view.tsx";
import { timeZone } from "../parts/format.ts";
import { Empty, Failed, Loading } from "../parts/states.tsx";
import { locationOf, type ViewLocation } from "../parts/view-location.ts";
import { RuleView } from "../rule/rule-view.tsx";
import { RulesView } from "../rules/rules-view.tsx";
import { EditLater } from "./edit-later.tsx";
import { Header } from "./header.tsx";
import { WithHealth } from "./outage.tsx";
import { SignIn } from "./sign-in.tsx";
import { forgetToken, isTokenHeld, keepToken, keptToken } from "./token.ts";

const SAID_FOR_MS = 6_000;

/** Long enough to notice a mistake. */
const OFFERED_FOR_MS = 20_000;

interface Said {
  readonly text: string;
  readonly offer: Offer | undefined;
}

export function App() {
  const [token, setToken] = useState(keptToken());
  const [refusal, setRefusal] = useState<ApiError | undefined>(undefined);
  const isHeld = isTokenHeld();
  if (token === undefined && !isHeld) {
    return (
      <SignIn
        refusal={refusal}
        enter={(text) => {
          keepToken(text);
          setRefusal(undefined);
          setToken(text);
        }}
      />
    );
  }
  const leave = (problem?: ApiError) => {
    forgetToken();
    if (!problem) sessionStorage.removeItem(UNSAVED);
    setRefusal(problem);
    setToken(undefined);
  };
  return <SignedIn token={token} leave={leave} isHeld={isHeld} />;
}

interface SignedInProps {
  readonly token: string | undefined;
  readonly leave: (problem?: ApiError) => void;
  readonly isHeld: boolean;
}

function SignedIn({ token, leave, isHeld }: SignedInProps) {
  const [said, setSaid] = useState<Said | undefined>(undefined);
  const [canWrite, setCanWrite] = useState<boolean | undefined>(undefined);
  const [error, setError] = useState<ApiError | undefined>(undefined);
  const [tries, setTries] = useState(0);
  const live = useTicks();
  const api = useMemo(() => openApi(token, leave), [token]);
  const place = useViewLocation();

  useEffect(() => {
    mayWrite(api).then(setCanWrite, setError);
  }, [api, tries]);
  useEffect(() => {
    if (said === undefined) return undefined;
    const timer = setTimeout(() => setSaid(undefined), said.offer ? OFFERED_FOR_MS : SAID_FOR_MS);
    return () => clearTimeout(timer);
  }, [said]);
  useEffect(() => {
    scrollTo(0, 0);
  }, [place.view, place.rest]);

  const say = (text: string, offer?: Offer) => setSaid({ text, offer });
  const retry = () => {
    setError(undefined);
    setTries(tries + 1);
  };
  return (
    <LiveContext.Provider value={live}>
      <a class="skip" href="#main" onClick={focusMain}>
        Skip to the content
      </a>
      <Header view={place.view} leave={isHeld ? undefined : () => leave()} />
      <main id="main" tabindex={-1}>
        {canWrite === false && <p class="banner">{READ_ONLY}</p>}
        {error && <Failed error={error} retry={retry} />}
        {canWrite === undefined && !error && <Loading what="what your token may do" />}
        {/* Alone in an element: hono moves the nodes of a component that is followed by another, and a field that is
            moved loses its focus. */}
        <div class="view">
          {canWrite !== undefined && (
            <SessionContext.Provider value={{ api, canWrite, say }}>
              <ErrorBoundary fallbackRender={Broken}>
                <WithHealth>
                  <View place={place} />
                </WithHealth>
              </ErrorBoundary>
            </SessionContext.Provider>
          )}
        </div>
        <p class="muted zone">Times are in {timeZone()}.</p>
      </main>
      <Toast said={said} close={() => setSaid(undefined)} />
    </LiveContext.Provider>
  );
}

function Toast({ said, close }: { readonly said: Said | undefined; readonly close: () => void }) {
  const { text = "", offer } = said ?? {};
  const act = () => {
    close();
    void offer?.act();
  };
  return (
    <div class={text === "" ? "toast" : "toast shown"}>
      <span role="status">{text}</span>
      {offer && (
        <button type="button" onClick={act}>
          {offer.verb}
        </button>
      )}
    </div>
  );
}

/** The hash names the view: to follow the link would leave it. */
function focusMain(event: Event): void {
  event.preventDefault();
  document.getElementById("main")?.focus();
}

function Broken() {
  return (
    <div class="state failed" role="alert">
      <strong>This view failed</strong>
      <p>Reload the page. The rules in force have not changed.</p>
    </div>
  );
}

function View({ place }: { readonly place: ViewLocation }) {
  const { view, rest, query } = place;
  if (view === "") return <OverviewView />;
  if (view === "rules" && rest === "" && query.size === 0) return <RulesView />;
  if (view === "rules") return <RuleView place={rest} query={query} />;
  if (view === "partition") return <PartitionView query={query} key={String(query)} />;
  if (view === "edit") return <EditLater at={query.get("at")} />;
  if (view === "lists") return <ListsView />;
  if (view === "audit") return <AuditView />;
  return <Empty title="There is no such view">Choose one of those above.</Empty>;
}

function useViewLocation(): ViewLocation {
  const [hash, setHash] = useState(location.hash);
  useEffect(() => {
    const update = () => setHash(location.hash);
    addEventListener("hashchange", update);
    return () => removeEventListener("hashchange", update);
  }, []);
  return locationOf(hash);
}
