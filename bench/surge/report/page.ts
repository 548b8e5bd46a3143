import { html, raw } from "hono/html";

import { population } from "../people/population.ts";
import type { SurgeResults } from "../results.ts";
import { count, duration } from "./numbers.ts";
import { PAGE_STYLE } from "./page-style.ts";
import { SCENE_PICTURES, type ScenePicture, SURGE_PICTURES } from "./pictures/pictures.ts";
import { SCENE_TEXTS } from "./scene-texts.ts";
import { tableOf } from "./table.ts";

const TITLE = "A surge, without a limiter and with each layer of Tidegate";

/** One page that opens by itself: the runs, their figures, and the pictures. */
export function pageOf(results: SurgeResults): string {
  return String(
    html`<!doctype html>
      <html lang="en">
        <head>
          <meta charset="utf-8" />
          <meta name="viewport" content="width=device-width, initial-scale=1" />
          <meta name="color-scheme" content="light dark" />
          <title>${TITLE}</title>
          <style>
            ${raw(PAGE_STYLE)}
          </style>
        </head>
        <body>
          <main>
            <h1>${TITLE}</h1>
            ${whatWasRun(results)}
            <h2>Pictures</h2>
            ${Object.values(SURGE_PICTURES).map((draw) => figureOf(draw(results)))}
            <h2>Figures</h2>
            ${tableMarkup(results)}
            <h2>How to read them</h2>
            ${howToRead()}
            <h2>Scenes</h2>
            <p>What a limiter meets besides the surge, each by itself, on parts of its own.</p>
            ${(Object.keys(SCENE_PICTURES) as ScenePicture[]).map((name) => scene(name, results))}
          </main>
        </body>
      </html> `,
  );
}

function figureOf(picture: string) {
  return html`<figure>${raw(picture)}</figure> `;
}

function scene(name: ScenePicture, results: SurgeResults) {
  const { heading, textOf } = SCENE_TEXTS[name];
  return html`<h3>${heading}</h3>
    <p>${textOf(results.scenes)}</p>
    ${figureOf(SCENE_PICTURES[name](results))} `;
}

function whatWasRun(results: SurgeResults) {
  const { date, machine, seed, share, riders, capacity, phases } = results;
  const people = Object.groupBy(population(seed, phases, share), ({ kind }) => kind);
  const of = (kind: keyof typeof people) => count(people[kind]?.length ?? 0);
  return html`<p>
    ${count(riders)} virtual riders, ${of("patient")} patient and ${of("impatient")} impatient,
    beside scripts that poll (${of("script")}), ask an API whose matching service can do
    ${count(capacity)} calls a second: ${duration(phases.quietMs)} of quiet,
    ${duration(phases.surgeMs)} of surge, and ${duration(phases.afterMs)} after it. That is a share
    of ${share} of the incident's riders, with the seed ${seed}. Each set-up meets the same people.
    The worker runs in workerd, its Redis is a real one over HTTP, and all of it shares one machine:
    ${machine.processor}, ${machine.cores} cores, Node ${machine.node}, with a load average of
    ${machine.loadAverage.toFixed(2)} before the run. Measured on
    <time datetime="${date}">${date.slice(0, 10)}</time>.
  </p> `;
}

function tableMarkup(results: SurgeResults) {
  const [heading, ...rows] = tableOf(results);
  const [corner, ...columns] = heading!;
  return html`<div class="wide" role="region" aria-labelledby="caption" tabindex="0">
    <table>
      <caption id="caption">
        Each set-up, and the incident as it was reported
      </caption>
      <thead>
        <tr>
          <td>${corner}</td>
          ${columns.map((name) => html`<th scope="col">${name}</th>`)}
        </tr>
      </thead>
      <tbody>
        ${rows.map(
          ([name, ...cells]) =>
            html`<tr>
              <th scope="row">${name}</th>
              ${cells.map((cell) => html`<td>${cell}</td>`)}
            </tr> `,
        )}
      </tbody>
    </table>
  </div> `;
}

function howToRead() {
  return html`<p>
      The set-ups add one layer after the other: a token bucket of 20 per rider and endpoint that
      refills 10 a second, a ceiling for the matching service that everybody shares, and jitter on
      the waits that a denial tells. The peer has its limiter per rider. The latencies of denials
      are without the driver's own latency, which is measured beside them; a mean below 0 is noise
      of that subtraction.
    </p>
    <p>
      The arrivals are open-loop: what people want comes at its time, whatever the system does, and
      a latency counts from when the person meant to ask. A slow answer thus never delays the
      requests after it out of the figures, which is known as coordinated omission.
    </p>
    <p>
      The last two columns are the incident as it was reported, and its own arithmetic can't hold as
      printed: 2,000 riders who send 378 requests a second send 0.19 a second each, and a bucket of
      20 that refills 10 a second never denies one of those. So the people here differ: patient
      riders, who wait and come back when they are told to, impatient ones, who tap again, and a few
      scripts that poll faster than a bucket refills. The reported figures stand beside ours for
      their order of magnitude, not as a target.
    </p> `;
}
