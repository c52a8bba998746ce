import { Chip, Group, NumberInput } from "@mantine/core";
import { MAX_RETENTION_DAYS, MIN_RETENTION_DAYS, RETENTION_PRESETS_DAYS } from "@/server/retention/schema";

/** The value of a NumberInput, which is a string while it is not a number. */
export type Days = number | string;

/** True for a valid retention period. */
export const isRetention = (days: Days): days is number =>
  typeof days === "number" && Number.isInteger(days) && days >= MIN_RETENTION_DAYS && days <= MAX_RETENTION_DAYS;

type NumberProps = { label: string; value: Days; onChange: (days: Days) => void; width: number; error: string | null };

/** A number of days. */
export function DaysInput({ width, ...props }: NumberProps) {
  return <NumberInput {...props} allowDecimal={false} allowNegative={false} thousandSeparator="," w={width} />;
}

type Props = { label: string; nameOf: (days: number) => string; value: Days; onChange: (days: Days) => void };

/** A retention period: a preset or any number of days. */
export function DaysField({ label, nameOf, value, onChange }: Props) {
  return (
    <>
      <Chip.Group value={String(value)} onChange={(days) => onChange(Number(days))}>
        <Group gap={8} role="group" aria-label={label}>
          {RETENTION_PRESETS_DAYS.map((days) => (
            <Chip key={days} value={String(days)}>
              {nameOf(days)}
            </Chip>
          ))}
        </Group>
      </Chip.Group>
      <DaysInput
        label="Days"
        value={value}
        onChange={onChange}
        width={160}
        error={isRetention(value) ? null : `A whole number from ${MIN_RETENTION_DAYS} to 3,650`}
      />
    </>
  );
}
