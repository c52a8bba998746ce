import type { DateOrder } from "@/server/custom-fields/schema";
import { invalid } from "@/server/ground/errors";
import { normaliseHeader } from "./normalise";
import { IDENTIFIER_LABELS, type Identifier } from "./plan-schema";

/** Settings of one source product. A new product is an entry of the list below. */
export type Preset = {
  /** Stored with every recorded source device ID, so it must never change. */
  id: string;
  /** Names of the product in enrollments (sourceSystem, lowercase), including the id. */
  sourceNames: readonly string[];
  label: string;
  /** How to export the files from the product, in one or two sentences. */
  hint: string;
  /** The product's headers for each identifier, besides its own name; these and all titles below are normalized. */
  aliases: Record<Identifier, readonly string[]>;
  /** Headers of the long shape: (computer, field, value). */
  fieldColumn: readonly string[];
  valueColumn: readonly string[];
  /** Members of a device's JSON with fields by name: {udf: {udf1: "A"}}. */
  nested: readonly string[];
  /** Columns in every export of the product that are not custom fields. */
  ignored: readonly string[];
  dateOrder: DateOrder;
};

/** Titles of a list separated by commas, normalized. */
export const names = (list: string): readonly string[] => list.split(",").map(normaliseHeader);

export const PRESETS: readonly Preset[] = [
  // ConnectWise Automate (LabTech): "extra data fields" of the computer screen.
  {
    id: "automate",
    sourceNames: ["automate", "connectwise_automate", "connectwise automate", "cw_automate", "labtech"],
    label: "ConnectWise Automate",
    hint: "Export the computer extra data view as CSV, or dump Computers/{id}/ExtraFields from its REST API as JSON.",
    aliases: {
      sourceId: names("Computer ID, Agent ID, LT Computer ID, Computers.ComputerID, Target ID, Id"),
      hostname: names("Computer Name, Computer, Name, Agent Name, Machine Name, Friendly Name, NetBIOS Name"),
      organization: names("Client, Client Name, Company, Company Name, Clients.Name"),
      serial: names("Serial, BIOS Serial, BIOS Serial Number, Asset Serial, Service Tag"),
    },
    fieldColumn: names("Field, Field Name, Extra Field, Extra Field Name, Extra Data Field, Title, EDF, EDF Name"),
    valueColumn: names("Value, Field Value, Extra Field Value, EDF Value, Data"),
    nested: [],
    ignored: names(`
      Location, Location Name, Location ID, Client ID, Last Contact, Last Check In, Domain, Local Address`),
    dateOrder: "mdy",
  },
  // NinjaOne: device fields by name in an object called fields.
  {
    id: "ninjaone",
    sourceNames: ["ninjaone", "ninja", "ninjarmm"],
    label: "NinjaOne",
    hint: "Export the device list with custom fields as CSV, or save /v2/queries/custom-fields of its API as JSON.",
    aliases: {
      sourceId: names("Device ID, Node ID, Id"),
      hostname: names("System Name, DNS Name, Device Name, Display Name, Name"),
      organization: names("Organization Name, Client"),
      serial: names("BIOS Serial Number"),
    },
    fieldColumn: names("Custom Field, Field, Field Name"),
    valueColumn: names("Value, Field Value"),
    nested: names("fields"),
    ignored: names(`
      Organization ID, Location, Location ID, Location Name, Role, Device Role, Node Class, Approval Status, Last
      Contact, Last Login, Offline, Created, Last Update`),
    dateOrder: "mdy",
  },
  // Datto RMM: 30 user-defined fields per device, udf1 to udf30, null if blank.
  {
    id: "datto_rmm",
    sourceNames: ["datto_rmm", "datto rmm", "datto", "centrastage", "autotask endpoint management"],
    label: "Datto RMM",
    hint: "Export the device list with its user-defined fields (UDF) as CSV, or save /v2/account/devices of its API as JSON.",
    aliases: {
      sourceId: names("Device UID, UID, Device ID, Id"),
      hostname: names("Device Hostname, Device Name, Description"),
      organization: names("Site Name, Site"),
      serial: names("Device Serial Number, Service Tag"),
    },
    fieldColumn: names("UDF, Field, Field Name"),
    valueColumn: names("Value, UDF Value"),
    nested: names("udf"),
    ignored: names(`
      Site ID, Site UID, Device Type, Int IP Address, Ext IP Address, Last Seen, Last Reboot, Last Audit Date,
      Creation Date, Online, Suspended, Deleted, Domain, Portal URL, Web Remote URL`),
    dateOrder: "mdy",
  },
  // N-able N-central: custom properties, each with its name, type and value.
  {
    id: "n_central",
    sourceNames: ["n_central", "n-central", "ncentral", "n-able n-central", "n-able"],
    label: "N-able N-central",
    hint: "Export the device report with custom properties as CSV, or save the custom properties of its API as JSON.",
    aliases: {
      sourceId: names("Device ID"),
      hostname: names("Device Name, longName, discoveredName, Network Name, Computer Name, Name"),
      organization: names("Customer, Customer Name, Customer/Site"),
      serial: [],
    },
    fieldColumn: names("Property Name, Custom Property, Property"),
    valueColumn: names("Value, Property Value"),
    nested: [],
    ignored: names(`
      Property ID, Property Type, Enumerated Value List, Site, Site Name, SO Name, Org Unit ID, Device Class, URI,
      Last Check In`),
    dateOrder: "ymd",
  },
  // Kaseya VSA: a list of CustomFields, each with FieldName and FieldValue.
  {
    id: "kaseya_vsa",
    sourceNames: ["kaseya_vsa", "kaseya vsa", "kaseya", "vsa"],
    label: "Kaseya VSA",
    hint: "Export the agents with their custom fields as CSV, or save /assetmgmt/assets with CustomFields of its API as JSON.",
    aliases: {
      sourceId: names("Agent ID, Agent Guid, Machine GUID, Asset ID"),
      hostname: names("Computer Name, Machine Name, Asset Name, Display Name"),
      organization: names("Org Name, Organization Name, Org ID"),
      serial: names("System Serial Number, Chassis Serial Number"),
    },
    fieldColumn: names("Field Name, Custom Field, Custom Field Name"),
    valueColumn: names("Field Value, Value"),
    nested: [],
    ignored: names(`
      Machine Group, Machine Group ID, Machine ID, Agent Name, Last Check In, Last Reboot, IP Address, MAC
      Address, Online`),
    dateOrder: "mdy",
  },
  // Atera: custom values with FieldName and ValueAsString; 0001-01-01 means no date.
  {
    id: "atera",
    sourceNames: ["atera"],
    label: "Atera",
    hint: "Export the devices report with custom fields as CSV, or save the agents and custom values of its API as JSON.",
    aliases: {
      sourceId: names("Agent ID, Device ID, Device Guid"),
      hostname: names("Machine Name, Agent Name, Device Name, System Name"),
      organization: names("Customer, Customer Name"),
      serial: names("Vendor Serial Number, Service Tag"),
    },
    fieldColumn: names("Field Name, Custom Field"),
    valueColumn: names("Value, Value As String"),
    nested: [],
    ignored: names(`
      Customer ID, Folder ID, Machine ID, Monitored, Online, Last Seen, Created, Modified, Last Reboot Time, Last
      Logged On User, App View Url`),
    dateOrder: "mdy",
  },
  // Any other product: a file with one row per computer, or per (computer, field, value).
  {
    id: "generic_csv",
    sourceNames: ["generic_csv", "generic", "csv"],
    label: "Other product (CSV, TSV, Excel)",
    hint: "One row per computer with a column per field, or one row per computer, field and value.",
    aliases: {
      sourceId: names("Device ID, Computer ID, Agent ID, Machine ID, Asset ID, Endpoint ID, System ID, UID, Id"),
      hostname: names("Host, Computer Name, Device Name, Machine Name, Computer, Device, Endpoint, System Name"),
      organization: names(`
        Org, Organisation, Client, Client Name, Customer, Customer Name, Company, Company Name, Site Name`),
      serial: names("Serial, Serial No, S/N, Service Tag"),
    },
    fieldColumn: names("Field, Field Name, Custom Field, Custom Field Name, Attribute, Property, Key, Title"),
    valueColumn: names("Value, Field Value, Custom Field Value, Attribute Value, Data"),
    nested: names("udf, fields, customFields, customProperties"),
    ignored: [],
    dateOrder: "ymd",
  },
];

/** Headers of an identifier: its own name, then the product's. */
export const headersOf = ({ aliases }: Preset, which: Identifier): string[] => [
  normaliseHeader(IDENTIFIER_LABELS[which]),
  ...aliases[which],
];

/** @throws AppError validation_failed for an unknown product. */
export function presetOf(source: string): Preset {
  const preset = PRESETS.find((p) => p.id === source);
  if (!preset) throw invalid("source", "is not a product that can be imported from");
  return preset;
}
