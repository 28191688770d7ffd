/** The whole kernel as one layer, for programs that embed it. */
export * as Millrace from "../Millrace.ts"
