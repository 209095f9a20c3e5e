namespace Ioxide.Analyzers.Tests;

/// <summary>Code that blocks is marked where it runs in a handler, and nowhere else.</summary>
/// <remarks>Slow: the first test of a process compiles the references of ASP.NET Core, 10 s.</remarks>
public class BlockingCallTests
{
    [Theory]
    [InlineData("app.MapGet(\"/\", () => task.Result);", "IOX0001 task.Result")]
    [InlineData("app.MapGet(\"/\", () => task.Wait());", "IOX0001 task.Wait()")]
    [InlineData("app.MapGet(\"/\", () => task.GetAwaiter().GetResult());", "IOX0001 task.GetAwaiter().GetResult()")]
    [InlineData("app.MapGet(\"/\", () => new ValueTask<int>(task).Result);", "IOX0001 new ValueTask<int>(task).Result")]
    [InlineData("app.MapGet(\"/\", async () => { await Task.Yield(); Thread.Sleep(5); });", "IOX0002 Thread.Sleep(5)")]
    [InlineData("app.Run(context => { Thread.Sleep(5); return Task.CompletedTask; });", "IOX0002 Thread.Sleep(5)")]
    [InlineData("app.Use((context, next) => { task.Wait(); return next(context); });", "IOX0001 task.Wait()")]
    [InlineData("app.MapPost(\"/\", (HttpRequest request) => request.Body.Read(new byte[1], 0, 1));", "IOX0003 request.Body.Read(new byte[1], 0, 1)")]
    [InlineData("app.MapPost(\"/\", (HttpRequest request) => new StreamReader(request.Body).ReadToEnd());", "IOX0003 new StreamReader(request.Body).ReadToEnd()")]
    [InlineData("app.MapPost(\"/\", (HttpContext context) => { using var reader = new StreamReader(context.Request.Body); return reader.ReadLine(); });", "IOX0003 reader.ReadLine()")]
    [InlineData("app.MapGet(\"/\", (HttpContext context) => context.Response.Body.Flush());", "IOX0003 context.Response.Body.Flush()")]
    [InlineData("app.MapGet(\"/\", () => { return Local(); int Local() => 1; });")]
    public async Task IsMarkedInALambdaThatIsMapped(string statement, params string[] expected)
        => Assert.Equal(expected, await Compiled.WarningsAsync(Application(statement)));

    [Theory]
    [InlineData("static int Answer() => Task.FromResult(1).Result;", "IOX0001 Task.FromResult(1).Result")]
    [InlineData("static async Task<int> Answer() { await Task.Yield(); return Task.FromResult(1).Result; }", "IOX0001 Task.FromResult(1).Result")]
    public async Task IsMarkedOnceInAFunctionThatIsMappedByItsName(string function, params string[] expected)
        => Assert.Equal(expected, await Compiled.WarningsAsync(Application("app.MapGet(\"/\", Answer);", function)));

    [Fact]
    public async Task IsMarkedInAnActionOfAController()
        => Assert.Equal(["IOX0001 task.Result"], await Compiled.WarningsAsync(
            """
            WebApplication.CreateBuilder(args).Build().Run();
            public class ItemsController : ControllerBase
            {
                public int Get(Task<int> task) => task.Result;
                [NonAction] public int Other(Task<int> task) => task.Result;
                private int Helper(Task<int> task) => task.Result;
            }
            """));

    [Fact]
    public async Task IsMarkedInTheHandlerOfARawServer()
        => Assert.Equal(["IOX0002 Thread.Sleep(1)"], await Compiled.WarningsAsync(
            """
            using Ioxide;
            await using ReactorGroup group = ReactorGroup.Start();
            await group.ListenAsync(new System.Net.IPEndPoint(0, 0), connection => { Thread.Sleep(1); return Task.CompletedTask; });
            """));

    /// <summary>The controls: code that may block, and code that does not.</summary>
    [Theory]
    [InlineData("task.Wait(); Thread.Sleep(1);")]
    [InlineData("app.MapGet(\"/\", () => task.Result).RunOnThreadPool();")]
    [InlineData("app.MapGet(\"/\", [Ioxide.AspNetCore.RunOnThreadPool] () => task.Result);")]
    [InlineData("app.MapGet(\"/\", () => Task.Run(() => task.Result));")]
    [InlineData("app.MapGet(\"/\", async () => { await Task.WhenAll(task); return task.Result; });")]
    [InlineData("app.MapGet(\"/\", () => { return task.IsCompletedSuccessfully ? task.Result : 0; });")]
    [InlineData("app.MapGet(\"/\", () => new Box().Result);")]
    [InlineData("app.MapPost(\"/\", (HttpRequest request) => new MemoryStream().ReadByte());")]
    [InlineData("app.MapPost(\"/\", (HttpRequest request) => new StreamReader(new MemoryStream()).ReadToEnd());")]
    [InlineData("var thread = new Thread(() => Thread.Sleep(1));")]
    public async Task IsNotMarkedElsewhere(string statement)
        => Assert.Empty(await Compiled.WarningsAsync(Application(statement, "public class Box { public int Result => 1; }")));

    [Theory]
    [InlineData("app.MapGet(\"/\", () => task.Result);", "app.MapGet(\"/\", async () => await task);")]
    [InlineData("app.MapGet(\"/\", () => task.Result.ToString());", "app.MapGet(\"/\", async () => (await task).ToString());")]
    [InlineData("app.MapGet(\"/\", static () => Task.FromResult(1).GetAwaiter().GetResult());", "app.MapGet(\"/\", static async () => await Task.FromResult(1));")]
    [InlineData("app.MapGet(\"/\", async () => { await Task.Yield(); Thread.Sleep(5); });", "app.MapGet(\"/\", async () => { await Task.Yield(); await Task.Delay(5); });")]
    [InlineData("app.MapPost(\"/\", (HttpRequest r) => new StreamReader(r.Body).ReadToEnd());", "app.MapPost(\"/\", async (HttpRequest r) => await new StreamReader(r.Body).ReadToEndAsync());")]
    public async Task IsAwaitedByTheFix(string before, string after)
        => Assert.Equal(Application(after), await Compiled.FixedAsync(Application(before)));

    [Theory]
    [InlineData("static int Answer() => Task.FromResult(1).Result;", "static async Task<int> Answer() => await Task.FromResult(1);")]
    [InlineData("static void Answer() { Thread.Sleep(1); }", "static async Task Answer() { await Task.Delay(1); }")]
    public async Task TheFunctionBecomesAsync(string before, string after)
        => Assert.Equal(
            Application("app.MapGet(\"/\", Answer);", after),
            await Compiled.FixedAsync(Application("app.MapGet(\"/\", Answer);", before)));

    [Theory]
    [InlineData("app.Run(context => { Thread.Sleep(5); return Task.CompletedTask; });")]
    [InlineData("app.MapGet(\"/\", () => { lock (app) { return task.Result; } });")]
    [InlineData("app.MapPost(\"/\", (HttpRequest request) => request.Body.ReadByte());")]
    public async Task NoFixIsOfferedWhereNothingCanBeAwaited(string statement) => Assert.Null(await Compiled.FixedAsync(Application(statement)));

    private static string Application(string statement, string function = "")
        => $"""
            var app = WebApplication.CreateBuilder(args).Build();
            Task<int> task = Task.FromResult(1);
            {statement}
            app.Run();
            {function}
            """;
}
