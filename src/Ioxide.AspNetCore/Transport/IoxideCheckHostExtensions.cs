using Ioxide;
using Ioxide.AspNetCore;

namespace Microsoft.Extensions.Hosting;

/// <summary>Checks a host before the application serves on it.</summary>
public static class IoxideCheckHostExtensions
{
    /// <summary>
    /// With the argument <c>--ioxide-check</c>, starts the application as far as its addresses and no further, and prints what this host offers
    /// it: kernel, rings, limits, processors, what the registered packages need, such as OpenSSL, a database or a folder, and everything that
    /// would end a start. <c>--ioxide-check=json</c> prints JSON.
    /// </summary>
    /// <param name="host">The built application, with its endpoints mapped. It is not started.</param>
    /// <param name="args">The application's arguments.</param>
    /// <returns>
    /// Whether the check was asked for. Then the application ends without serving: <see cref="Environment.ExitCode"/> is 1 where anything is
    /// missing, 2 where an argument that begins with <c>--ioxide-</c> or <c>--Ioxide:</c> is unknown, else 0. A <c>Main</c> that returns a number
    /// returns that.
    /// </returns>
    /// <remarks>
    /// <code>
    /// if (app.RunIoxideCheckIfAsked(args))
    /// {
    ///     return;
    /// }
    ///
    /// app.Run();
    /// </code>
    /// Options are validated, endpoints and certificates are read, the pipeline is built, and addresses are bound and released. Hosted services
    /// of the application are made and not started, and its log is off. Further checks are services of the type <see cref="IHostCheck"/>. The
    /// thread is blocked until the check has ended.
    /// </remarks>
    public static bool RunIoxideCheckIfAsked(this IHost host, string[] args)
    {
        ArgumentNullException.ThrowIfNull(host);
        ArgumentNullException.ThrowIfNull(args);
        return IoxideCheck.RunIfAskedAsync(args, new CheckedHost(host.Services)).GetAwaiter().GetResult();
    }
}
