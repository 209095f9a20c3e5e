namespace Ioxide.AspNetCore.Tests;

/// <summary>One browser for the tests of a class, which are skipped where there is none.</summary>
public sealed class BrowserFixture : IAsyncLifetime
{
    private Browser? _browser;

    public async ValueTask InitializeAsync() => _browser = Browser.Missing is null ? await Browser.StartAsync() : null;

    public async ValueTask DisposeAsync()
    {
        if (_browser is not null)
        {
            await _browser.DisposeAsync();
        }
    }

    internal Task<BrowserPage> OpenPageAsync()
    {
        Assert.SkipWhen(Browser.Missing is not null, Browser.Missing ?? "");
        return _browser!.OpenPageAsync();
    }
}
