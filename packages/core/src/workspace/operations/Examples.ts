import { exampleIds, exampleTime } from "../../operation/Examples.ts"

export const workspaceExample = {
  id: exampleIds.workspace,
  name: "My workspace",
  icon: null,
  plan: "enterprise",
  timezone: "Europe/Berlin",
  locale: "en",
  baseCurrency: "EUR",
  isPortal: false,
  version: 1,
  createdAt: exampleTime,
  updatedAt: exampleTime
}
