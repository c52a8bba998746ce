import { cleanText, type Preset } from "./preset";

/** N-able N-central: custom properties, each with its name, type and value. */
export const nCentral: Preset = {
  id: "n_central",
  sourceNames: ["n_central", "n-central", "ncentral", "n-able n-central", "n-able"],
  label: "N-able N-central",
  hint: "Export the device report with custom properties as CSV, or save the custom properties of its API as JSON.",
  aliases: {
    sourceId: ["Device ID"],
    hostname: ["Device Name", "longName", "discoveredName", "Network Name", "Computer Name", "Name"],
    organization: ["Customer", "Customer Name", "Customer/Site"],
    serial: [],
  },
  fieldColumn: ["Property Name", "Custom Property", "Property"],
  valueColumn: ["Value", "Property Value"],
  nested: [],
  ignored: [
    "Property ID",
    "Property Type",
    "Enumerated Value List",
    "Site",
    "Site Name",
    "SO Name",
    "Org Unit ID",
    "Device Class",
    "URI",
    "Last Check In",
  ],
  dateOrder: "ymd",
  cleanCell: cleanText,
};
