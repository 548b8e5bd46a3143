import type { PartitionHistory, PolicyHistory } from "../../api/answers.ts";
import { count, sum } from "../../parts/format.ts";
import { Picture } from "../../parts/picture.tsx";

interface PolicyPicturesProps {
  readonly history: PartitionHistory;
  readonly of: PolicyHistory;
}

/** When one policy denied a partition, and each minute of its requests where they are kept. */
export function PolicyPictures({ history: { times, minutes }, of }: PolicyPicturesProps) {
  const { denied, near, requests, partition } = of;
  return (
    <>
      {sum(denied) + sum(near) > 0 ? (
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
      ) : (
        <p class="none">
          {partition === null
            ? "The sample has a number for this client, and does not say which of the clients that were denied most it is."
            : "Not among the clients that were denied most, or near the limit most, in this time."}
        </p>
      )}
      {requests ? (
        <Picture
          title="Its requests by the minute, of the last hour"
          kind="layers"
          times={minutes.map((iso) => Date.parse(iso))}
          series={[
            { label: "had room", colour: "--allowed", values: requests.allowed },
            { label: "had none", colour: "--denied", values: requests.denied },
            {
              label: "denied by another policy",
              colour: "--passed",
              values: requests.deniedByOthers,
            },
          ]}
          growsFrom={Date.parse(minutes.at(-1)!)}
          format={count}
        />
      ) : (
        <p class="none">{whyNoRequests(of)}</p>
      )}
    </>
  );
}

function whyNoRequests({ isSampled }: PolicyHistory): string {
  if (isSampled === null) {
    return "Whether single requests of it are kept is not known: this is the digest of an address. Describe the request with its address.";
  }
  return isSampled
    ? "It is in the sample, and nothing of it is kept from the last hour: it sent nothing, or so much that it was left out."
    : "Its single requests are not kept: 1 client in 64 is in the sample, and this one is not.";
}
