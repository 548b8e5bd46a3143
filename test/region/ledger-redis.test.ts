import { testLedger } from "./ledger/cells.ts";

testLedger({ hasObjects: false });
