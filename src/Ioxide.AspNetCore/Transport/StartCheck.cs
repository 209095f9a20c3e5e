using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Hosting.Server;
using Microsoft.AspNetCore.Hosting.Server.Features;
using Microsoft.Extensions.DependencyInjection;

namespace Ioxide.AspNetCore;

/// <summary>
/// Starts a host as far as its addresses, and stops it: validates all options, builds the pipeline, reads endpoints and certificates, and binds.
/// Hosted services of the application are made and not started.
/// </summary>
internal sealed class StartCheck(IServiceProvider services) : IHostCheck
{
    private static readonly TimeSpan s_stopPatience = TimeSpan.FromSeconds(5);

    public async Task<IReadOnlyList<CheckLine>> CheckAsync(ReactorGroup? reactors, CancellationToken cancellationToken)
    {
        var lines = new List<CheckLine>();
        await TryAsync(lines, () =>
        {
            services.GetService<ReactorFleet>()?.UseForCheck(reactors);
            services.GetService<IStartupValidator>()?.Validate();
            return Task.CompletedTask;
        }).ConfigureAwait(false);
        await TryAsync(lines, async () =>
        {
            if (await StartServerAsync(cancellationToken).ConfigureAwait(false) is { Length: > 0 } addresses)
            {
                lines.Add(new CheckLine("endpoints", CheckState.Ok, $"{addresses} can be bound"));
            }
        }).ConfigureAwait(false);
        return lines;
    }

    /// <summary>The addresses that the server had; empty where the host has none.</summary>
    private async Task<string> StartServerAsync(CancellationToken cancellationToken)
    {
        // The framework's only hosted service in that assembly is the one that starts the server.
        IHostedService? web = services.GetServices<IHostedService>()
            .FirstOrDefault(static service => service.GetType().Assembly == typeof(WebHostBuilderExtensions).Assembly);
        if (web is null)
        {
            return "";
        }

        await web.StartAsync(cancellationToken).ConfigureAwait(false);
        string addresses = string.Join(", ", services.GetService<IServer>()?.Features.Get<IServerAddressesFeature>()?.Addresses ?? []);
        using var patience = new CancellationTokenSource(s_stopPatience);
        await web.StopAsync(patience.Token).ConfigureAwait(false);
        return addresses;
    }

    /// <summary>What the start would end with becomes lines.</summary>
    private static async Task TryAsync(List<CheckLine> lines, Func<Task> step)
    {
        try
        {
            await step().ConfigureAwait(false);
        }
        catch (Exception exception)
        {
            IReadOnlyCollection<Exception> all = exception is AggregateException several ? several.InnerExceptions : [exception];
            lines.AddRange(all.Select(static cause => new CheckLine("start", CheckState.Missing, IoxideCheck.Describe(cause))
            {
                Cost = "the host does not start",
            }));
        }
    }
}
