import { unreachable } from "../support/store/unreachable.ts";

const NAME_OR_TLS =
  /^Redis could not be reached: most likely its name does not resolve, or its certificate is not valid\.$/;

unreachable("workerd", {
  name: NAME_OR_TLS,
  tls: NAME_OR_TLS,
  port: /^Redis could not be reached\.$/,
});
