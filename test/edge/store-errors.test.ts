import { unreachable } from "../support/store/unreachable.ts";

unreachable("Vercel's runtime", {
  name: /: E[A-Z_]+\.$/,
  tls: /: ERR_SSL_[A-Z_]+\.$/,
  port: /^Redis could not be reached\.$/,
});
