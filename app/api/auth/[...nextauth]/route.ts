import { answerNextAuth } from "@/server/doors/http/next-auth";

export { answerNextAuth as GET, answerNextAuth as POST };
