declare global {
  interface Window {
    /** What public/begin.js has asked for. */
    begun?: { request: string; answer: Promise<string> };
  }
}

/** The answer to a command that was asked for before this code was there. It can be taken once. */
export function takeBegun(command: string, request: string): Promise<string> | undefined {
  if (command !== 'Bootstrap' || window.begun?.request !== request) return undefined;
  const { answer } = window.begun;
  delete window.begun;
  return answer;
}
