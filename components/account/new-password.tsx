import { PasswordInput, type PasswordInputProps } from "@mantine/core";
import { MIN_PASSWORD_LENGTH } from "@/server/identity/auth/schema";

/** The field for choosing a password. */
export const NewPassword = (field: PasswordInputProps) => (
  <PasswordInput
    label="Password"
    description={`At least ${MIN_PASSWORD_LENGTH} characters`}
    autoComplete="new-password"
    required
    {...field}
  />
);
