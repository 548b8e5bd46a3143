import type { PolicyHistory } from "../../api/answers.ts";
import { count, sum } from "../../parts/format.ts";
import { Picture } from "../../parts/picture.tsx";

interface DenialsPictureProps {
  /** When each ten minutes begin, in ISO 8601. */
  readonly times: readonly string[];
  readonly of: PolicyHistory;
}

/** When one policy denied a partition, and when it was near its limit. */
export function DenialsPicture({ times, of: { denied, near } }: DenialsPictureProps) {
  if (sum(denied) + sum(near) === 0) {
    return (
      <p class="none">
        Not among the clients that were denied most, or near the limit most, in this time.
      </p>
    );
  }
  return (
    <Picture
      title="Denied by the ten minutes, at least"
      kind="layers"
      times={times.map((iso) => Date.parse(iso))}
      series={[
        { label: "denied", colour: "--denied", values: denied },
        { label: "near the limit", colour: "--refused", values: near },
      ]}
      growsFrom={Date.parse(times.at(-1)!)}
      format={count}
    />
  );
}
