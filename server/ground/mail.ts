import { createTransport } from "nodemailer";
import { env } from "./env";
import { AppError } from "./errors";
import { log } from "./log";
import { inOneLine } from "./text";

/** html is an alternative for readers that show it; csv is attached under its name. */
export type Mail = {
  to: string;
  subject: string;
  text: string;
  html?: string | undefined;
  csv?: { name: string; content: string } | undefined;
};

/** An unresponsive mail server must not block a request. */
const TIMEOUT_MS = 10_000;

/** True if this installation can send mail. */
export const isMailConfigured = (): boolean => env().SMTP_URL !== undefined;

/**
 * Sends a mail through the configured server (RFC 5321).
 * @throws AppError unavailable when mail is not configured or the server does not take it.
 */
export async function sendMail({ to, subject, text, html, csv }: Mail): Promise<void> {
  const { SMTP_URL, SMTP_FROM } = env();
  if (!SMTP_URL) throw new AppError("unavailable", "This installation has no mail server.");
  const timeouts = { connectionTimeout: TIMEOUT_MS, greetingTimeout: TIMEOUT_MS, socketTimeout: TIMEOUT_MS };
  const transport = createTransport({ url: SMTP_URL, ...timeouts });
  try {
    const attachments = csv
      ? [{ filename: csv.name, content: csv.content, contentType: "text/csv; charset=utf-8" }]
      : [];
    await transport.sendMail({
      from: SMTP_FROM,
      to,
      subject: inOneLine(subject),
      text,
      ...(html && { html }),
      attachments,
    });
  } catch (error) {
    log.warn({ err: error }, "a mail could not be sent");
    throw new AppError("unavailable", "The mail server did not take the message. Nothing was sent.");
  } finally {
    transport.close();
  }
}
