/** The GraphQL documents that are sent, each under its own name: nothing is ever put into their text. */

/** Most rows of a page that Quiltt gives. */
export const pageSize = 100

export interface Document {
  readonly name: string
  readonly text: string
}

const document = (name: string, text: string): Document => ({ name, text })

const security = "security { id name ticker type cusip isin }"
const pageInfo = "pageInfo { hasNextPage endCursor }"

/** A connection with its accounts, balances included. */
export const connectionQuery = document(
  "MillraceConnection",
  `query MillraceConnection($id: ID!) {
  connection(id: $id) {
    id
    status
    institution { id name }
    remoteData { plaid { connection { response { consentExpirationTime } } } }
    accounts {
      id
      name
      mask
      kind
      taxonomy
      currencyCode
      provider
      state
      balance { at available current limit }
    }
  }
}`
)

/** Rows of accounts that are booked or pending in a range of days, the oldest first and pending ones last. */
export const transactionsQuery = document(
  "MillraceTransactions",
  `query MillraceTransactions($accountIds: [ID!], $from: Date, $to: Date, $first: Int, $after: String) {
  transactions(
    first: $first
    after: $after
    sort: DATE_ASC
    filter: { accountIds: $accountIds, date_gte: $from, date_lte: $to, status: [PENDING, POSTED] }
  ) {
    count
    nodes {
      id
      account { id }
      amount
      currencyCode
      date
      description
      entryType
      status
      fees
      price
      quantity
      ${security}
      remoteData {
        plaid {
          transaction {
            response {
              transactionId
              pendingTransactionId
              authorizedDate
              merchantName
              originalDescription
              personalFinanceCategory { primary }
            }
          }
          investmentTransaction { response { type subtype } }
        }
      }
    }
    ${pageInfo}
  }
}`
)

export const holdingsQuery = document(
  "MillraceHoldings",
  `query MillraceHoldings($id: ID!, $first: Int, $after: String) {
  account(id: $id) {
    id
    holdings(first: $first, after: $after) {
      count
      nodes { id quantity price value costBasis at ${security} }
      ${pageInfo}
    }
  }
}`
)

/** What Plaid knows of loans, by its own ids of the accounts. */
export const loansQuery = document(
  "MillraceLoans",
  `query MillraceLoans($id: ID!) {
  connection(id: $id) {
    id
    accounts { id remoteData { plaid { account { response { accountId } } } } }
    remoteData {
      plaid {
        liabilities {
          response {
            mortgage {
              accountId
              interestRate { percentage }
              lastPaymentAmount
              lastPaymentDate
              loanTypeDescription
              maturityDate
              nextMonthlyPayment
              nextPaymentDueDate
              originationPrincipalAmount
              pastDueAmount
            }
            student {
              accountId
              expectedPayoffDate
              interestRatePercentage
              isOverdue
              lastPaymentAmount
              lastPaymentDate
              loanName
              minimumPaymentAmount
              nextPaymentDueDate
              originationPrincipalAmount
            }
          }
        }
      }
    }
  }
}`
)

export const disconnectMutation = document(
  "MillraceDisconnect",
  `mutation MillraceDisconnect($id: ID!) {
  connectionDisconnect(input: { id: $id }) {
    success
    errors { message path }
    record { id status }
  }
}`
)
