import { z } from "zod";
import { keysOf } from "@/server/ground/records";
import { filledText, guid, isoTime, nameText, trimmedText } from "@/server/ground/wire";

/** Display names of types; the wire says "boolean". */
export const FIELD_TYPE_LABELS = {
  text: "Text",
  number: "Number",
  boolean: "Checkbox",
  dropdown: "Dropdown",
  date: "Date",
};
export const FIELD_TYPES = keysOf(FIELD_TYPE_LABELS);
export type FieldType = (typeof FIELD_TYPES)[number];

/** Date orders. With mdy and dmy the year may also come first; with ymd it must. */
export const DATE_ORDERS = ["ymd", "mdy", "dmy"] as const;
export type DateOrder = (typeof DATE_ORDERS)[number];

export const MAX_FIELD_NAME = 100;
export const MAX_FIELD_KEY = 100;
export const MAX_CHOICES = 200;
export const MAX_CHOICE = 200;
/** Characters of one text value. */
export const MAX_TEXT_VALUE = 10_000;
export const MAX_DEFINITIONS_PER_OWNER = 1000;
const FIELD_KEY = /^[a-z][a-z0-9_]*$/;
/** Replaces a secret field's value for people who may not manage fields. */
export const MASK = "••••••••";

/** A stored value: text, dropdown and date are strings (a date is YYYY-MM-DD). */
const fieldValue = z.union([z.string(), z.number(), z.boolean()]);
export type FieldValue = z.output<typeof fieldValue>;

const isExact = (value: number): boolean => !Number.isInteger(value) || Number.isSafeInteger(value);
/** A value from a request: JSON.parse has already changed the digits of integers beyond 2^53. */
const givenValue = z.union([
  z.string(),
  z.number().refine(isExact, `is a whole number beyond ${Number.MAX_SAFE_INTEGER}, which would be rounded`),
  z.boolean(),
]);

const name = nameText(MAX_FIELD_NAME);
/** "id" names the device in PATCH /devices/:id/custom-fields. */
export const RESERVED_KEYS: ReadonlySet<string> = new Set(["id"]);
/** Letters without accents and ligatures. */
export const foldLetters = (text: string): string =>
  text
    .normalize("NFKD")
    .replace(/\p{M}+/gu, "")
    .replace(/ß/g, "ss")
    .replace(/[øØ]/g, "o")
    .replace(/[æÆ]/g, "ae")
    .replace(/[łŁ]/g, "l")
    .replace(/[đĐ]/g, "d");

/** A field key from a title: "AssetTag (old)" is asset_tag_old. Keys start with a letter. */
export function toFieldKey(title: string): string {
  const snake = foldLetters(title)
    .replace(/([a-z][0-9]*)([A-Z])/g, "$1_$2")
    .replace(/([A-Z]+)([A-Z][a-z])/g, "$1_$2")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "_")
    .replace(/^_+|_+$/g, "");
  const key = (/^[a-z]/.test(snake) ? snake : snake ? `field_${snake}` : "field").slice(0, MAX_FIELD_KEY);
  return FIELD_KEY.test(key) ? key : "field";
}

/** A free key from a title, numbered if taken or reserved; marks it as taken. */
export function freeFieldKey(title: string, taken: Set<string>): string {
  const base = toFieldKey(title);
  let key = base;
  for (let n = 2; taken.has(key) || RESERVED_KEYS.has(key); n++) key = `${base.slice(0, MAX_FIELD_KEY - 5)}_${n}`;
  taken.add(key);
  return key;
}

/** Key in a plan: a reserved word is a fault there, told beside its field. */
export const anyFieldKey = z
  .string()
  .max(MAX_FIELD_KEY, `has more than ${MAX_FIELD_KEY} characters`)
  .regex(FIELD_KEY, "must begin with a lowercase letter and consist of lowercase letters, digits and underscores");
const fieldKey = anyFieldKey.refine((key) => !RESERVED_KEYS.has(key), "is a reserved word");
const choice = trimmedText(MAX_CHOICE);
const choices = z
  .array(choice)
  .max(MAX_CHOICES, `has more than ${MAX_CHOICES} choices`)
  .refine((list) => new Set(list).size === list.length, "names a choice twice");
/** Choices of a dropdown, as a list or as {choices: [...]}. */
export const fieldOptions = z.union([
  choices,
  z.strictObject({ choices: choices.optional() }).transform((o) => o.choices ?? []),
]);
const deviceTypes = z.array(filledText(50)).max(20);

/** Body of POST /custom-fields. Without orgId a partner's caller creates a field of All organizations. */
export const createInput = z.strictObject({
  orgId: guid.nullish(),
  owner: z.enum(["organization", "all_organizations"]).optional(),
  name,
  fieldKey,
  type: z.enum(FIELD_TYPES),
  options: fieldOptions.nullish(),
  required: z.boolean().default(false),
  defaultValue: givenValue.nullish(),
  deviceTypes: deviceTypes.nullish(),
  secret: z.boolean().default(false),
});
export type CreateInput = z.output<typeof createInput>;

const fixed = z.never("cannot be changed").optional();

/** Body of PATCH /custom-fields/:id. Key and type cannot change. */
export const updateInput = z.strictObject({
  id: guid,
  fieldKey: fixed,
  type: fixed,
  name: name.optional(),
  options: fieldOptions.nullish(),
  required: z.boolean().optional(),
  defaultValue: givenValue.nullish(),
  deviceTypes: deviceTypes.nullish(),
  secret: z.boolean().optional(),
});

/** The same with another type, which every stored value must fit: a separate change, made in the dashboard. */
export const retypeInput = updateInput.extend({ type: z.enum(FIELD_TYPES) });

export const listInput = z.object({ orgId: guid.optional() });

export const definition = z.strictObject({
  id: guid,
  orgId: guid.nullable(),
  partnerId: guid,
  owner: z.enum(["organization", "all_organizations"]),
  name: z.string(),
  fieldKey: z.string(),
  type: z.enum(FIELD_TYPES),
  options: z.array(z.string()).nullable(),
  required: z.boolean(),
  defaultValue: fieldValue.nullable(),
  deviceTypes: z.array(z.string()).nullable(),
  secret: z.boolean(),
  createdAt: isoTime,
  updatedAt: isoTime,
});
export type Definition = z.output<typeof definition>;

export const definitionList = z.strictObject({ data: z.array(definition) });

/** Number of devices with a value of a field, which its deletion would remove. */
export const usage = z.strictObject({ id: guid, values: z.int() });

/** One field of one device; isDefault: the device has no value, so the definition's default is shown. */
const deviceValue = z.strictObject({
  fieldId: guid,
  fieldKey: z.string(),
  name: z.string(),
  owner: z.enum(["organization", "all_organizations"]),
  type: z.enum(FIELD_TYPES),
  options: z.array(z.string()).nullable(),
  required: z.boolean(),
  secret: z.boolean(),
  value: fieldValue.nullable(),
  isDefault: z.boolean(),
});
export type DeviceValue = z.output<typeof deviceValue>;

/** Body of PATCH /devices/:id/custom-fields: keys are checked against the definitions; id is from the path. */
export const setValuesInput = z.object({ id: guid }).catchall(givenValue.nullable());

/** Field key to value, for every field that applies to a device; null without a value. */
export const valueMap = z.record(z.string(), fieldValue.nullable());
export type ValueMap = z.output<typeof valueMap>;

/** Answer of PATCH /devices/:id/custom-fields. */
export const deviceValueList = z.array(deviceValue);

export const deviceValues = z.strictObject({ deviceId: guid, customFields: valueMap });
