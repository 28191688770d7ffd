/** The form of Quiltt's answers, as far as they are read. Words of lists that are not known stay text. */
import { CalendarDate } from "@millrace/core"
import type { UnreadAccount } from "@millrace/core/provider"
import * as Schema from "effect/Schema"
import { Amount, loose, looseText, maybe, UpstreamId } from "../upstream/UpstreamForm.ts"

const { String: Text } = Schema
const Day = CalendarDate.CalendarDate

const PageInfo = Schema.Struct({ hasNextPage: Schema.Boolean, endCursor: maybe(Text) })
const nodes = maybe(Schema.Array(Schema.Unknown))

/** What a refusal or a GraphQL error says; texts of Quiltt are read by code alone and never shown. */
export const Envelope = Schema.Struct({
  errors: maybe(
    Schema.Array(Schema.Struct({ message: maybe(Text), extensions: maybe(Schema.Struct({ code: maybe(Text) })) }))
  )
})
export type GraphqlErrors = NonNullable<(typeof Envelope.Type)["errors"]>

/** What a data provider answered, as Quiltt passes it on. */
const responseOf = <S extends Schema.Top>(schema: S) => maybe(Schema.Struct({ response: maybe(schema) }))

const QuilttBalance = Schema.Struct({
  at: maybe(Text),
  available: maybe(Amount),
  current: maybe(Amount),
  limit: maybe(Amount)
})

export const QuilttAccount = Schema.Struct({
  id: UpstreamId,
  name: maybe(Text),
  mask: maybe(Text),
  kind: maybe(Text),
  taxonomy: maybe(Schema.Array(Text)),
  currencyCode: maybe(Text),
  provider: maybe(Text),
  state: maybe(Text),
  balance: maybe(QuilttBalance)
})
export type QuilttAccount = typeof QuilttAccount.Type

const ConnectionForm = Schema.Struct({
  id: UpstreamId,
  status: Text,
  institution: maybe(Schema.Struct({ id: maybe(Text), name: maybe(Text) })),
  remoteData: maybe(
    Schema.Struct({
      plaid: maybe(Schema.Struct({ connection: responseOf(Schema.Struct({ consentExpirationTime: maybe(Text) })) }))
    })
  ),
  // Accounts are read one by one: one that cannot be read keeps no other from being read.
  accounts: maybe(Schema.Array(Schema.Unknown))
})

/** A connection with the accounts of it that can be read, and those that cannot. */
export interface QuilttConnection extends Omit<typeof ConnectionForm.Type, "accounts"> {
  readonly accounts: ReadonlyArray<QuilttAccount>
  readonly unread: ReadonlyArray<UnreadAccount>
}

export const ConnectionAnswer = Schema.Struct({ connection: maybe(ConnectionForm) })

const Security = Schema.Struct({
  id: maybe(Text),
  name: maybe(Text),
  ticker: maybe(Text),
  type: maybe(Text),
  cusip: maybe(Text),
  isin: maybe(Text)
})
export type QuilttSecurity = typeof Security.Type

export const TransactionsAnswer = Schema.Struct({
  transactions: Schema.Struct({ count: Schema.Int, nodes, pageInfo: PageInfo })
})

const PlaidTransaction = Schema.Struct({
  transactionId: maybe(Text),
  pendingTransactionId: maybe(Text),
  authorizedDate: looseText,
  merchantName: looseText,
  originalDescription: looseText,
  personalFinanceCategory: loose(Schema.Struct({ primary: looseText }))
})
export type PlaidTransaction = typeof PlaidTransaction.Type

export const QuilttTransaction = Schema.Struct({
  id: UpstreamId,
  account: Schema.Struct({ id: UpstreamId }),
  amount: Amount,
  currencyCode: maybe(Text),
  date: Day,
  description: looseText,
  /** A row that does not say whether money came or went is none that can be kept. */
  entryType: Schema.Literals(["CREDIT", "DEBIT"]),
  status: Schema.Literals(["PENDING", "POSTED", "PROJECTED"]),
  fees: maybe(Amount),
  price: maybe(Amount),
  quantity: maybe(Amount),
  security: maybe(Security),
  remoteData: maybe(
    Schema.Struct({
      plaid: maybe(
        Schema.Struct({
          transaction: responseOf(PlaidTransaction),
          investmentTransaction: responseOf(Schema.Struct({ type: maybe(Text), subtype: maybe(Text) }))
        })
      )
    })
  )
})
export type QuilttTransaction = typeof QuilttTransaction.Type

export const HoldingsAnswer = Schema.Struct({
  account: maybe(
    Schema.Struct({
      id: UpstreamId,
      holdings: maybe(Schema.Struct({ count: Schema.Int, nodes, pageInfo: PageInfo }))
    })
  )
})

export const QuilttHolding = Schema.Struct({
  id: UpstreamId,
  quantity: Amount,
  price: maybe(Amount),
  value: maybe(Amount),
  costBasis: maybe(Amount),
  at: maybe(Text),
  security: maybe(Security)
})
export type QuilttHolding = typeof QuilttHolding.Type

const Mortgage = Schema.Struct({
  accountId: maybe(Text),
  interestRate: maybe(Schema.Struct({ percentage: maybe(Amount) })),
  lastPaymentAmount: maybe(Amount),
  lastPaymentDate: maybe(Day),
  loanTypeDescription: maybe(Text),
  maturityDate: maybe(Day),
  nextMonthlyPayment: maybe(Amount),
  nextPaymentDueDate: maybe(Day),
  originationPrincipalAmount: maybe(Amount),
  pastDueAmount: maybe(Amount)
})
export type QuilttMortgage = typeof Mortgage.Type

const StudentLoan = Schema.Struct({
  accountId: maybe(Text),
  expectedPayoffDate: maybe(Day),
  interestRatePercentage: maybe(Amount),
  isOverdue: maybe(Schema.Boolean),
  lastPaymentAmount: maybe(Amount),
  lastPaymentDate: maybe(Day),
  loanName: maybe(Text),
  minimumPaymentAmount: maybe(Amount),
  nextPaymentDueDate: maybe(Day),
  originationPrincipalAmount: maybe(Amount)
})
export type QuilttStudentLoan = typeof StudentLoan.Type

const PlaidAccount = responseOf(Schema.Struct({ accountId: maybe(Text) }))
const Liabilities = responseOf(
  Schema.Struct({ mortgage: maybe(Schema.Array(Mortgage)), student: maybe(Schema.Array(StudentLoan)) })
)

export const LoansAnswer = Schema.Struct({
  connection: maybe(
    Schema.Struct({
      id: UpstreamId,
      accounts: maybe(
        Schema.Array(
          Schema.Struct({
            id: UpstreamId,
            remoteData: maybe(Schema.Struct({ plaid: maybe(Schema.Struct({ account: PlaidAccount })) }))
          })
        )
      ),
      remoteData: maybe(Schema.Struct({ plaid: maybe(Schema.Struct({ liabilities: Liabilities })) }))
    })
  )
})
export type QuilttLoans = NonNullable<(typeof LoansAnswer.Type)["connection"]>

export const DisconnectAnswer = Schema.Struct({
  connectionDisconnect: maybe(
    Schema.Struct({ success: Schema.Boolean, record: maybe(Schema.Struct({ id: UpstreamId, status: Text })) })
  )
})

/** A session of a profile; `userId` is the id of the profile. */
export const SessionAnswer = Schema.Struct({
  token: Schema.String.check(Schema.isBetweenLength(1, 4_000)),
  userId: UpstreamId,
  expiration: maybe(Schema.Finite),
  expiresAt: maybe(Text)
})

export const InstitutionsAnswer = Schema.Array(Schema.Struct({ name: maybe(Text), logoUrl: maybe(Text) }))
