import { cleanText, type Preset } from "./preset";

/** MySQL's zero date and .NET's smallest one mean that no date is set. */
const ZERO_DATE = /^(0000-00-00|0001-01-01|0?1\/0?1\/0001)([ T].*)?$/;

/** ConnectWise Automate (LabTech): its "extra data fields" of the computer screen. */
export const automate: Preset = {
  id: "automate",
  sourceNames: ["automate", "connectwise_automate", "connectwise automate", "cw_automate", "labtech"],
  label: "ConnectWise Automate",
  hint: "Export the computer extra data view as CSV, or dump Computers/{id}/ExtraFields from its REST API as JSON.",
  aliases: {
    sourceId: [
      "Computer ID",
      "ComputerID",
      "Computer Id",
      "Agent ID",
      "LT Computer ID",
      "Computers.ComputerID",
      "Target ID",
      "Id",
    ],
    hostname: [
      "Computer Name",
      "Computer",
      "Name",
      "Agent Name",
      "Host Name",
      "Machine Name",
      "Friendly Name",
      "NetBIOS Name",
    ],
    organization: ["Client", "Client Name", "ClientName", "Company", "Company Name", "Clients.Name"],
    serial: ["Serial", "Serial Number", "BIOS Serial", "BIOS Serial Number", "Asset Serial", "Service Tag"],
  },
  fieldColumn: [
    "Field",
    "Field Name",
    "Extra Field",
    "Extra Field Name",
    "Extra Data Field",
    "Title",
    "EDF",
    "EDF Name",
  ],
  valueColumn: ["Value", "Field Value", "Extra Field Value", "EDF Value", "Data"],
  ignored: [
    "Location",
    "Location Name",
    "Location ID",
    "Client ID",
    "Last Contact",
    "Last Check In",
    "Domain",
    "Local Address",
  ],
  dateOrder: "mdy",
  cleanCell: (raw) => {
    const text = cleanText(raw);
    return ZERO_DATE.test(text) ? "" : text;
  },
};
