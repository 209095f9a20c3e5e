namespace Ioxide.Http2.Tests;

/// <summary>Middleware that stands in front of a handler.</summary>
[Flags]
internal enum ProgramMiddleware
{
    None = 0,
    ExceptionHandler = 1,
    ExceptionPage = 2,
    Logging = 4,
    Compression = 8,
    Cors = 16,
    RateLimiter = 32,
    Timeouts = 64,
    Cache = 128,
}
