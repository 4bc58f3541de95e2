// An agent that says why it does not start, and ends.
process.stderr.write('Loading the licence\nError: the licence file /opt/robin/licence is missing\n');
process.exitCode = 3;
