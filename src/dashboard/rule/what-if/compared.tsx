import type { WhatIf } from "../../api/answers.ts";
import { count, percent } from "../../parts/format.ts";

/** The requests denied now beside those that would be, as bars; the line has the truth 19 times out of 20. */
export function Compared({ answer }: { readonly answer: WhatIf }) {
  const { requests, deniedBefore, deniedAfter } = answer;
  const { estimate, low, high } = deniedAfter;
  if (estimate === null || low === null || high === null || requests === 0) return undefined;
  // A share of a tenth would be hard to see in a bar of all requests.
  const most = Math.max(high, deniedBefore, 1);
  const width = (value: number) => `${(100 * value) / most}%`;
  return (
    <table class="bars compared">
      <caption class="unseen">Denied requests, now and with these numbers</caption>
      <tbody>
        <tr>
          <th scope="row">denied now</th>
          <td>
            <div class="lane">
              <span class="bar" style={{ width: width(deniedBefore) }} />
            </div>
          </td>
          <td class="number">
            {count(deniedBefore)} ({percent(deniedBefore, requests)})
          </td>
        </tr>
        <tr>
          <th scope="row">denied then</th>
          <td>
            <div class="lane">
              <span class="bar full" style={{ width: width(estimate) }} />
              {high > low && (
                <span class="interval" style={{ left: width(low), width: width(high - low) }} />
              )}
            </div>
          </td>
          <td class="number">
            {count(estimate)} ({percent(estimate, requests)})
          </td>
        </tr>
      </tbody>
    </table>
  );
}
