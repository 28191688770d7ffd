/** The demo provider, which invents banks. */
export * as DemoProvider from "../provider/demo/DemoProvider.ts"
export { bundledProviders } from "../provider/registry.ts"
