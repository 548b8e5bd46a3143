export { default } from "tidegate/worker";
