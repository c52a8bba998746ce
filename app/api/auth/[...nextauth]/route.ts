import { answerNextAuth } from "@/server/http/next-auth";

export { answerNextAuth as GET, answerNextAuth as POST };
