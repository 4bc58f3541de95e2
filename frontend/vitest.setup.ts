import '@testing-library/jest-dom/vitest';
import { cleanup, configure } from '@testing-library/react';
import { afterEach } from 'vitest';

// How long something may take to appear. It doesn't slow down what passes, and a busy machine is no failure.
configure({ asyncUtilTimeout: 15_000 });

afterEach(cleanup);
