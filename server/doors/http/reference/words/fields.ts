import { ORG, THING } from "./samples";
import type { Words, WordTable } from "./table";

const definition: Words = {
  fieldKey: ["Name of the field in requests and answers; it never changes", "rack"],
  type: ["What values the field takes; it never changes here", "text"],
  options: ["Choices of a dropdown; null for other types", null],
  required: ["Whether every device should have a value", false],
  defaultValue: ["Value of devices that hold none; null for none", null],
  deviceTypes: ["Operating systems that it applies to; null: all", null],
  secret: ["Whether only people who may manage fields see the values", false],
  owner: ["One organization, or all organizations of the partner", "organization"],
};

/** Custom fields, their import, and the script library. */
export const FIELDS: WordTable[] = [
  {
    path: "/custom-fields",
    request: {
      ...definition,
      id: ["Identifies the field", THING],
      orgId: ["The field's organization; null or left out by a partner's caller: all organizations", ORG],
      name: ["Name of the field", "Rack"],
      options: "Choices of a dropdown, as a list or as {choices}",
      choices: "Choices of a dropdown",
    },
    response: {
      ...definition,
      id: ["Identifies the field", THING],
      name: ["Name of the field", "Rack"],
      orgId: ["The field's organization; null: all organizations", ORG],
      data: "The fields, by name",
    },
  },
  {
    path: "/custom-fields/imports",
    request: {
      id: ["Identifies the import", THING],
      importId: ["The import that the file belongs to", THING],
      fileNo: ["Number of the file within the import, from 0", 0],
      name: ["Name of the file", "devices.csv"],
      offset: ["Bytes of the file before this part", 0],
      size: ["Bytes of the whole file", 10],
    },
    response: {
      received: ["Bytes of the file that have arrived", 10],
      complete: ["Whether the whole file has arrived", true],
    },
  },
  {
    path: "/scripts",
    request: {
      category: ["Only scripts of this category", "disk"],
      os: ["Only scripts for this operating system", "windows"],
      search: ["Text that must occur in name, description or category", "disk"],
    },
    response: {
      data: "The scripts",
      id: ["Identifies the script", THING],
      name: ["Name of the script", "Free disk space"],
      description: ["What it does", "Lists volumes that run full"],
      category: ["What it concerns", "disk"],
      language: ["Language of the script", "powershell"],
      osTypes: ["Operating systems that it runs on", ["windows"]],
      parameters: ["What it takes; PowerShell by name, bash as environment variables", []],
      "parameters.name": ["Name of the parameter", "MinimumPercent"],
      "parameters.description": ["What it is for", "Volumes with less free space are listed"],
      type: ["What values it takes", "number"],
      required: ["Whether it must be given", false],
      default: ["Its value where none is given; null for none", 10],
      content: ["The script's text", "Get-Volume"],
      timeoutSeconds: ["After how many seconds it should be ended", 60],
      runAs: ["Whether it runs as the system or as the person who is signed in", "system"],
      version: ["Version of the script", "1.0.0"],
    },
  },
];
