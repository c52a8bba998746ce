import { cleanText, type Preset } from "./preset";

/** ConnectWise Automate (LabTech): "extra data fields" of the computer screen. */
export const automate: Preset = {
  id: "automate",
  sourceNames: ["automate", "connectwise_automate", "connectwise automate", "cw_automate", "labtech"],
  label: "ConnectWise Automate",
  hint: "Export the computer extra data view as CSV, or dump Computers/{id}/ExtraFields from its REST API as JSON.",
  aliases: {
    sourceId: ["Computer ID", "Agent ID", "LT Computer ID", "Computers.ComputerID", "Target ID", "Id"],
    hostname: ["Computer Name", "Computer", "Name", "Agent Name", "Machine Name", "Friendly Name", "NetBIOS Name"],
    organization: ["Client", "Client Name", "Company", "Company Name", "Clients.Name"],
    serial: ["Serial", "BIOS Serial", "BIOS Serial Number", "Asset Serial", "Service Tag"],
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
  nested: [],
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
  cleanCell: cleanText,
};
