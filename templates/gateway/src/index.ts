export { default, TidegateObject } from "tidegate/worker";
