declare global {
  interface Window {
    /** Requests that public/begin.js has sent. */
    begun?: { request: string; answer: Promise<string> };
  }
}

/** Returns the response to a command that was sent before this code was loaded. Works only once. */
export function takeEarlyResponse(command: string, request: string): Promise<string> | undefined {
  if (command !== 'Bootstrap' || window.begun?.request !== request) return undefined;
  const { answer } = window.begun;
  delete window.begun;
  return answer;
}
