using Ioxide;
using Ioxide.AspNetCore;
using Microsoft.AspNetCore.Server.Kestrel.Core;
using Microsoft.Extensions.DependencyInjection;

namespace Microsoft.Extensions.Hosting;

/// <summary>Checks a host before the application serves on it.</summary>
public static class IoxideCheckHostExtensions
{
    /// <summary>
    /// With the argument <c>--ioxide-check</c>, prints what this host offers the application: kernel, rings, limits, processors, and what the
    /// registered packages need, such as OpenSSL, a database or a folder. <c>--ioxide-check=json</c> prints JSON.
    /// </summary>
    /// <param name="host">The built application, with its endpoints mapped. It is not started.</param>
    /// <param name="args">The application's arguments.</param>
    /// <returns>
    /// Whether the check was asked for. Then the application ends without serving: <see cref="Environment.ExitCode"/> is 1 where anything is
    /// missing, 2 where the form after <c>=</c> is unknown, else 0. A <c>Main</c> that returns a number returns that.
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
    /// Pass it as the last argument: the configuration would read the one after it as its value. Further checks are services of the type
    /// <see cref="IHostCheck"/>. The thread is blocked until the check has ended.
    /// </remarks>
    public static bool RunIoxideCheckIfAsked(this IHost host, string[] args)
    {
        ArgumentNullException.ThrowIfNull(host);
        ArgumentNullException.ThrowIfNull(args);
        return IoxideCheck.RunIfAskedAsync(args, () => MakeRuntimeCheck(host.Services), () => FindChecks(host.Services)).GetAwaiter().GetResult();
    }

    private static RuntimeCheck MakeRuntimeCheck(IServiceProvider services)
    {
        IoxideTransportOptions options = services.GetService<IOptions<IoxideTransportOptions>>()?.Value ?? new IoxideTransportOptions();
        string withoutReactors = options.MayUseSockets ? "the sockets transport serves"
            : options.RequireIoUring ? "the host does not start, because RequireIoUring is set"
            : $"the host does not start, because Kernel is {options.Kernel}";
        return new RuntimeCheck(options.ToReactorOptions(events: null), withoutReactors);
    }

    /// <summary>Reads Kestrel's options first: endpoints that are configured in code register their checks then.</summary>
    private static IReadOnlyList<IHostCheck> FindChecks(IServiceProvider services)
    {
        _ = services.GetService<IOptions<KestrelServerOptions>>()?.Value;
        return [.. services.GetServices<IHostCheck>(), .. services.GetService<LateChecks>()?.All() ?? []];
    }
}
