import { cleanText, type Preset } from "./preset";

/** Any other product: a file with one row per computer, or per (computer, field, value). */
export const genericCsv: Preset = {
  id: "generic_csv",
  sourceNames: ["generic_csv", "generic", "csv"],
  label: "Other product (CSV, TSV, Excel)",
  hint: "One row per computer with a column per field, or one row per computer, field and value.",
  aliases: {
    sourceId: [
      "Device ID",
      "Computer ID",
      "Agent ID",
      "Machine ID",
      "Asset ID",
      "Endpoint ID",
      "System ID",
      "UID",
      "Id",
    ],
    hostname: ["Host", "Computer Name", "Device Name", "Machine Name", "Computer", "Device", "Endpoint", "System Name"],
    organization: [
      "Org",
      "Organisation",
      "Client",
      "Client Name",
      "Customer",
      "Customer Name",
      "Company",
      "Company Name",
      "Site Name",
    ],
    serial: ["Serial", "Serial No", "S/N", "Service Tag"],
  },
  fieldColumn: ["Field", "Field Name", "Custom Field", "Custom Field Name", "Attribute", "Property", "Key", "Title"],
  valueColumn: ["Value", "Field Value", "Custom Field Value", "Attribute Value", "Data"],
  nested: ["udf", "fields", "customFields", "customProperties"],
  ignored: [],
  dateOrder: "ymd",
  cleanCell: cleanText,
};
