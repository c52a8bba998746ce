import { checkReadiness } from "@/server/run/process/readiness";

export const GET = async () => {
  const readiness = await checkReadiness();
  return Response.json(readiness, { status: readiness.ready ? 200 : 503, headers: { "Cache-Control": "no-store" } });
};
