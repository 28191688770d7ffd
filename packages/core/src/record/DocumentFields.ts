/**
 * Source fields of the data types that are read out of documents (decisions 4.2). Nothing but the id is certain: a
 * document says what it says.
 */
import { always, maybe, money, ofItem, type FieldSpecs } from "./SourceField.ts"

const id = always("str", "ID", "Stays the same however often the document is read")
const currency = maybe("str", "Currency", "ISO 4217 code of all amounts of the document", "EUR")

const origin = {
  fileName: maybe("str", "File Name", "Name of the file that it was read from", "receipt-0314.pdf"),
  receivedAt: maybe("ts", "Received At", "When the document came in", "2026-03-14T09:12:00.000Z"),
  sender: maybe("str", "Sender", "Who sent the document", "billing@heron.example")
} as const

const itemFields = {
  itemName: ofItem(maybe("str", "Item Name", "What was bought", "Flat white")),
  itemQuantity: ofItem(maybe("num", "Item Quantity", "How many of it", "2")),
  itemUnitPrice: ofItem(maybe("num", "Item Unit Price", "Price of one of it", "3.4")),
  itemAmount: ofItem(money(maybe("num", "Item Amount", "What all of it costs", "6.8")))
} as const

const taxAmount = money(maybe("num", "Tax Amount", "Tax that the total contains", "1.02"))
const totalAmount = money(maybe("num", "Total Amount", "What is to be paid in all, as the document says", "12.5"))

/** Source field keys by data type, in the order they are shown. */
export const documentFields = {
  receipts: {
    id,
    date: maybe("date", "Date", "Day of the purchase", "2026-03-14"),
    merchantName: maybe("str", "Merchant Name", "Who sold it", "Blue Heron Cafe"),
    description: maybe("str", "Description", "What it was about", "Breakfast"),
    totalAmount,
    taxAmount,
    currency,
    category: maybe("str", "Category", "Category of the purchase", "FOOD_AND_DRINK"),
    paymentMethod: maybe("str", "Payment Method", "How it was paid", "Visa 4411"),
    reference: maybe("str", "Reference", "Number of the receipt", "000371"),
    ...origin,
    ...itemFields
  },
  invoices: {
    id,
    date: maybe("date", "Date", "Day of the invoice", "2026-03-14"),
    dueDate: maybe("date", "Due Date", "Day on which it is due", "2026-04-13"),
    supplierName: maybe("str", "Supplier Name", "Who asks for the money", "Heron Supplies"),
    customerName: maybe("str", "Customer Name", "Who is to pay", "Acme Corp."),
    invoiceNumber: maybe("str", "Invoice Number", "Number that the supplier gave it", "2026-0042"),
    subtotalAmount: money(maybe("num", "Subtotal Amount", "What is to be paid without tax", "100")),
    taxAmount,
    totalAmount,
    currency,
    status: maybe("str", "Status", "What the document says of its payment", "open"),
    purchaseOrder: maybe("str", "Purchase Order", "Number of the order that it answers", "PO-118"),
    ...origin,
    ...itemFields
  },
  documents: {
    id,
    title: maybe("str", "Title", "What the document calls itself", "Lease agreement"),
    documentType: maybe("str", "Document Type", "What kind of document it is", "contract"),
    date: maybe("date", "Date", "Day of the document", "2026-03-14"),
    summary: maybe("str", "Summary", "What it says in short", "Lease of an office until 2029"),
    fileName: origin.fileName,
    contentType: maybe("str", "Content Type", "Media type of the file", "application/pdf"),
    receivedAt: origin.receivedAt,
    sender: origin.sender
  }
} satisfies Readonly<Record<string, FieldSpecs>>
