using Microsoft.AspNetCore.Server.Kestrel.Core;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;

namespace Ioxide.AspNetCore;

/// <summary>A built host that is checked instead of started.</summary>
internal sealed class CheckedHost(IServiceProvider services) : ICheckedProgram
{
    public string? FindWrongArgument(string[] args) => CheckArguments.FindWrong(args, services.GetService<IConfiguration>());

    public void Prepare(string[] args) => services.GetService<LogMute>()?.Mute();

    public RuntimeCheck MakeRuntimeCheck()
    {
        IoxideTransportOptions options = services.GetService<IOptions<IoxideTransportOptions>>()?.Value ?? new IoxideTransportOptions();
        string withoutReactors = options.MayUseSockets ? "the sockets transport serves"
            : options.RequireIoUring ? "the host does not start, because RequireIoUring is set"
            : $"the host does not start, because Kernel is {options.Kernel}";
        return new RuntimeCheck(options.ToReactorOptions(events: null), withoutReactors);
    }

    /// <summary>Reads Kestrel's options first: endpoints that are configured in code register their checks then.</summary>
    public IReadOnlyList<IHostCheck> FindChecks()
    {
        _ = services.GetService<IOptions<KestrelServerOptions>>()?.Value;
        return [.. services.GetServices<IHostCheck>(), .. services.GetService<LateChecks>()?.All() ?? [], new StartCheck(services)];
    }
}
