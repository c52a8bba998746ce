import { BUILD } from "@/server/ground/build";
import { createReadinessCheck } from "@/server/run/process/readiness";

const checkReadiness = createReadinessCheck();

export const GET = async () => {
  const readiness = await checkReadiness();
  return Response.json(
    { ...readiness, ...BUILD },
    { status: readiness.ready ? 200 : 503, headers: { "Cache-Control": "no-store" } },
  );
};
