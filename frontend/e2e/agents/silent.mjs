// An agent that starts and never answers.
process.stdin.resume();
process.stdin.on('end', () => process.exit(0));
