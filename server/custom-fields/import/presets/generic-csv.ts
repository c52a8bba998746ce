import { cleanText, type Preset } from "./preset";

/** Any other product, by a file with one row per computer or per (computer, field, value). */
export const genericCsv: Preset = {
  id: "generic_csv",
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
    hostname: [
      "Host",
      "Host Name",
      "Computer Name",
      "Device Name",
      "Machine Name",
      "Computer",
      "Device",
      "Endpoint",
      "System Name",
    ],
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
    serial: ["Serial", "Serial No", "Serial Number", "S/N", "SN", "Service Tag"],
  },
  fieldColumn: ["Field", "Field Name", "Custom Field", "Custom Field Name", "Attribute", "Property", "Key", "Title"],
  valueColumn: ["Value", "Field Value", "Custom Field Value", "Attribute Value", "Data"],
  ignored: [],
  dateOrder: "ymd",
  cleanCell: cleanText,
};
