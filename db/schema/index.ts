export * from "./audit";
export * from "./custom-fields";
export * from "./devices";
export * from "./identity";
export * from "./live";
export * from "./logs";
export * from "./organizations";
export * from "./verifications";
