import { pageOf } from "../support/source-address.ts";

const GATEWAY = "templates/gateway";
const VERCEL = "templates/gateway-vercel";

/** The variables that Vercel asks for before it deploys the template. */
const QUESTIONS = {
  "project-name": "gateway",
  "repository-name": "gateway",
  env: "ORIGIN,ADMIN_TOKEN",
  envDescription:
    "ORIGIN is the address of your API. ADMIN_TOKEN opens the dashboard: openssl rand -base64 32",
  // Upstash Redis, of Vercel's marketplace.
  "integration-ids": "oac_V3R1GIpkoJorr6fqyiwdhl17",
};

/** Buttons that deploy a template from the source's address. */
const BUTTONS: Readonly<Record<string, (address: string) => string>> = {
  cloudflare: (address) =>
    button(
      "Deploy to Cloudflare",
      "https://deploy.workers.cloudflare.com/button",
      `https://deploy.workers.cloudflare.com/?url=${pageOf(GATEWAY, address)}`,
    ),
  vercel(address) {
    const query = Object.entries({
      "repository-url": pageOf(VERCEL, address),
      ...QUESTIONS,
      envLink: pageOf("docs/start.md", address),
    }).map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
    const target = `https://vercel.com/new/clone?${query.join("&")}`;
    return button("Deploy with Vercel", "https://vercel.com/button", target);
  },
};

const button = (text: string, picture: string, target: string) =>
  `[![${text}](${picture})](${target})`;

const MARKED = /^<!-- button: (\w+) -->\n[^]*?^<!-- end -->$/gm;

/** A document with a button between each pair of markers, or with nothing there while the source has no address. */
export function withButtons(document: string, address: string | undefined): string {
  return document.replaceAll(MARKED, (_marked, name: string) => {
    const built = address === undefined ? "" : `${BUTTONS[name]!(address)}\n\n`;
    return `<!-- button: ${name} -->\n\n${built}<!-- end -->`;
  });
}
