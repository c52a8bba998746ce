import type { NextApiRequest, NextApiResponse } from "next";
import NextAuth, { type NextAuthOptions } from "next-auth";
import { originOf } from "@/server/ground/client-ip";
import { systemCtx } from "@/server/ground/context";
import { env, isHttps } from "@/server/ground/env";
import { invalid } from "@/server/ground/errors";
import { isObject } from "@/server/ground/records";
import { authOptions, defaultOf } from "@/server/identity/auth/next-auth";
import { sessionCookie } from "@/server/identity/auth/session-cookie";
import { MAX_STRANGERS_BYTES, readLimited } from "./body";
import { problemAnswer, toAppError, toProblem } from "./problem";
import type { RouteContext } from "./route";

/** The problem as in every door, plus the member from which next-auth's browser code reads errors. */
function refusal(error: unknown, requestId: string): Response {
  const known = toAppError(error, requestId);
  const { status, headers } = problemAnswer(known, requestId);
  const url = new URL(`/login?error=${known.code}`, env().NEXTAUTH_URL).href;
  return Response.json({ ...toProblem(known, requestId), url }, { status, headers });
}

function decoded(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}

const MAX_ADDRESS_LENGTH = 2_048;

const CALLBACK_COOKIE = /^(__Secure-)?next-auth\.callback-url$/;

/** next-auth fails on addresses that it cannot parse, or that no header can contain; these are dropped. */
function isReadable(address: string): boolean {
  if (address.length > MAX_ADDRESS_LENGTH) return false;
  const base = address.startsWith("/") ? "http://localhost" : undefined;
  return URL.canParse(address, base) && /^https?:$/.test(new URL(address, base).protocol);
}

/** next-auth would treat every cookie with the session's prefix as a chunk, and delete each with a header. */
const isPiece = (name: string): boolean =>
  name.startsWith(sessionCookie(isHttps())) && name !== sessionCookie(isHttps());

function cookiesOf({ headers }: Request): Record<string, string> {
  const pairs = (headers.get("cookie") ?? "").split(";").map((part) => part.trim().split(/=(.*)/s, 2));
  const known = pairs.filter(([name = ""]) => name && !isPiece(name));
  const cookies = known.map(([name = "", value = ""]) => [name, decoded(value)] as const);
  return Object.fromEntries(cookies.filter(([name, value]) => !CALLBACK_COOKIE.test(name) || isReadable(value)));
}

/** Fields for next-auth: texts, without unreadable addresses. */
function fieldsOf(given: Iterable<[string, unknown]>): Record<string, string> {
  const texts = [...given].filter((field): field is [string, string] => typeof field[1] === "string");
  return Object.fromEntries(texts.filter(([name, value]) => name !== "callbackUrl" || isReadable(value)));
}

const queryOf = (request: Request) => fieldsOf(new URL(request.url).searchParams);

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw invalid("body", "is not valid JSON");
  }
}

async function formOf(request: Request): Promise<Record<string, string> | undefined> {
  if (request.method !== "POST") return undefined;
  const text = Buffer.from(await readLimited(request, MAX_STRANGERS_BYTES)).toString("utf8");
  const type = request.headers.get("content-type") ?? "";
  if (type.includes("application/x-www-form-urlencoded")) return fieldsOf(new URLSearchParams(text));
  if (!type.includes("application/json")) return undefined;
  const body = parse(text);
  if (!isObject(body)) throw invalid("body", "must be a JSON object");
  return fieldsOf(Object.entries(body));
}

/** Escapes text for a header: only ASCII, no line breaks. */
const inHeader = (text: string): string => text.toWellFormed().replace(/[^\x20-\x7e]/gu, encodeURIComponent);

/** The part of Next's older response object that next-auth uses. */
function createReply() {
  const headers = new Headers();
  let status = 200;
  let body: string | null = null;
  const reply = {
    status(code: number) {
      status = code;
      return reply;
    },
    getHeader: (name: string) => (name === "Set-Cookie" ? headers.getSetCookie() : headers.get(name)),
    setHeader(name: string, value: string | string[]) {
      headers.delete(name);
      for (const one of [value].flat()) headers.append(name, inHeader(one));
    },
    json(value: unknown) {
      headers.set("Content-Type", "application/json");
      body = JSON.stringify(value);
    },
    send(value: unknown) {
      if (typeof value === "object" && value !== null) reply.json(value);
      else if (value !== undefined) body = String(value);
    },
    end: () => {},
    toResponse: () => new Response(body, { status, headers }),
  };
  return reply;
}

/** Runs next-auth in its form for Next's older routes, which needs no request storage. */
async function runNextAuth(request: Request, nextauth: string[], options: NextAuthOptions): Promise<Response> {
  const message = {
    method: request.method,
    headers: Object.fromEntries(request.headers),
    cookies: cookiesOf(request),
    query: { ...queryOf(request), nextauth },
    body: await formOf(request),
  };
  const reply = createReply();
  await defaultOf(NextAuth)(message as unknown as NextApiRequest, reply as unknown as NextApiResponse, options);
  return reply.toResponse();
}

/** Sign-in, sign-out and session of the browser, at next-auth's own addresses. */
export async function answerNextAuth(request: Request, context?: RouteContext): Promise<Response> {
  const ctx = { ...systemCtx(), ...originOf(request) };
  const refused: unknown[] = [];
  const options = authOptions(ctx, (error) => refused.push(error));
  try {
    const { nextauth = [] } = (await context?.params) ?? {};
    const response = await runNextAuth(request, [nextauth].flat(), options);
    if (refused.length === 0) return response;
  } catch (error) {
    refused.unshift(error);
  }
  return refusal(refused[0], ctx.requestId);
}
