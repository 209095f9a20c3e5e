using Ioxide.Do;
using Ioxide.Do.Kernels;

// What ./test.sh and .ci/run call, and what needs more than a script, in the root of the repository.
using var stop = new StopSignals();
try
{
    return args switch
    {
        ["test", .. var rest] => await TestCommand.RunAsync(rest, stop.Token),
        ["orders", .. var rest] => await OrdersCommand.RunAsync(rest, stop.Token),
        ["kernels", .. var kernels] => await KernelsCommand.RunAsync(kernels, stop.Token),
        ["check", var name] => await Continuous.CheckAsync(name, stop.Token),
        ["figures", .. var figures] => FiguresCommand.Run(figures),
        ["ci"] => await Continuous.RunAsync(stop.Token),
        _ => throw new UsageException(
            "usage: eng/do test [--release] [NAME] | orders [--seeds 1,2,3] [--classes | --suites] [PROJECT...] | kernels KERNEL... | kernels --table"
            + " | check NAME | figures [NAME=NUMBER...] | ci"),
    };
}
catch (UsageException exception)
{
    await Console.Error.WriteLineAsync(exception.Message);
    return 2;
}
