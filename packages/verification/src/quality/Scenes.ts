/** All scenes, in the order of the table. A new one is one entry here. */
import { changeFeeds } from "./identity/ChangeFeeds.ts"
import { consecutiveFiles } from "./identity/ConsecutiveFiles.ts"
import { datedApart } from "./identity/DatedApart.ts"
import { commonShift } from "./identity/CommonShift.ts"
import { lingering } from "./identity/Lingering.ts"
import { oldestDay } from "./identity/OldestDay.ts"
import { ordinary } from "./identity/Ordinary.ts"
import { redated } from "./identity/Redated.ts"
import { renamed, roundPrices } from "./identity/Renamed.ts"
import { otherWords, otherWordsRound } from "./identity/TwoSources.ts"
import { splitOrders } from "./identity/SplitOrders.ts"
import { shortHistory } from "./identity/ShortHistory.ts"
import { monthlyBills, standingOrders } from "./series/RealPayments.ts"
import { anomalies } from "./series/Anomalies.ts"
import { recurringSeries } from "./series/Recurring.ts"
import { bankTieOut } from "./enrichment/BankTieOut.ts"
import { tieOut } from "./enrichment/TieOut.ts"
import { cardPayments } from "./transfers/CardPayments.ts"
import { feeWorlds } from "./fees/FeeWorlds.ts"
import { transferWorlds } from "./transfers/TransferWorlds.ts"
import { labelledCategories } from "./models/LabelledCategories.ts"
import { merchantNames } from "./models/MerchantNames.ts"
import { newMerchants } from "./models/NewMerchants.ts"
import { memoryWorlds } from "./memory/MemoryWorlds.ts"
import { encodingMatrix } from "./statements/EncodingMatrix.ts"
import { eventLoopDelay } from "./planning/EventLoopDelay.ts"
import { undoneRuns } from "./undo/UndoneRuns.ts"
import type { Scene } from "./identity/Scene.ts"

export const scenes: ReadonlyArray<Scene> = [
  ordinary,
  shortHistory,
  changeFeeds,
  renamed,
  roundPrices,
  lingering,
  commonShift,
  otherWords,
  otherWordsRound,
  consecutiveFiles,
  datedApart,
  oldestDay,
  redated,
  splitOrders,
  encodingMatrix,
  tieOut,
  bankTieOut,
  cardPayments,
  transferWorlds,
  labelledCategories,
  newMerchants,
  merchantNames,
  memoryWorlds,
  feeWorlds,
  recurringSeries,
  anomalies,
  monthlyBills,
  standingOrders,
  eventLoopDelay,
  undoneRuns
]
