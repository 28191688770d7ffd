/** The bundled providers, one line each: the factory of a kind under the name of the kind. */
export { factory as demo } from "./demo/DemoProvider.ts"
export { factory as fiskil } from "./fiskil/FiskilProvider.ts"
export { factory as plaid } from "./plaid/PlaidProvider.ts"
export { factory as quiltt } from "./quiltt/QuilttProvider.ts"
export { factory as saltedge } from "./saltedge/SaltEdgeProvider.ts"
export { factory as simplefin } from "./simplefin/SimpleFinProvider.ts"
export { factory as snaptrade } from "./snaptrade/SnapTradeProvider.ts"
