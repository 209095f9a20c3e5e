using System.Net;
using Microsoft.AspNetCore.Builder;

namespace Ioxide.AspNetCore.Tests;

/// <summary>How tests read the dashboard's page.</summary>
internal static class DashboardReader
{
    /// <summary>True in the page from its first sample on.</summary>
    internal const string IsLive = "document.getElementById('status').dataset.state === 'live'";

    /// <summary>A dashboard beside an endpoint that answers 503.</summary>
    internal static ServerSetup WithFailingEndpoint => DashboardSetup.Of(map: static app =>
    {
        app.MapIoxideDashboard();
        app.MapGet("/failing", static context =>
        {
            context.Response.StatusCode = 503;
            return Task.CompletedTask;
        });
    });

    internal static Uri DashboardOf(TestServer server) => new($"http://127.0.0.1:{((IPEndPoint)server.EndPoint).Port}/ioxide");

    /// <summary>The text of the first element that a selector finds.</summary>
    internal static Task<string> TextAsync(this BrowserPage page, string selector)
        => page.StringAsync($"document.querySelector('{selector.Replace("'", "\\'", StringComparison.Ordinal)}').textContent");

    internal static async Task<string> StringAsync(this BrowserPage page, string expression) => (await page.EvaluateAsync(expression))!.GetValue<string>();

    internal static async Task<double> NumberAsync(this BrowserPage page, string expression) => (await page.EvaluateAsync(expression))!.GetValue<double>();
}
