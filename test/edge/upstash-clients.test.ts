import { upstashClients } from "../support/store/upstash-clients.ts";

upstashClients("Vercel's runtime");
