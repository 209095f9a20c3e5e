namespace Ioxide.Files.Tests;

/// <summary>What a generated application adds, and may then ask for.</summary>
[Flags]
internal enum ApplicationServices
{
    None = 0,
    Authorization = 1,
    Cors = 2,
    RateLimits = 4,
    OutputCache = 8,

    /// <summary>A matcher policy of the application's own.</summary>
    Tenants = 16,
}
