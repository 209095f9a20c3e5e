using Ioxide.Scaling;

// One program, so that an archive holds one: the server, either one, and the load.
const string Usage =
    """
    Ioxide.Scaling serve --server stock|ioxide --port N [--reactors N]
    Ioxide.Scaling load --port N --pid N --connections N --threads N --seconds S
    Ioxide.Scaling --ioxide-check
    """;

try
{
    return args switch
    {
        ["serve", .. string[] rest] => await Serving.RunAsync(new Arguments(rest)),
        ["load", .. string[] rest] => Load.Run(new Arguments(rest)),
        ["--ioxide-check", ..] => Serving.Check(args),
        _ => throw new ArgumentException("What is it to be?"),
    };
}
catch (ArgumentException exception)
{
    Console.Error.WriteLine(exception.Message);
    Console.Error.WriteLine(Usage);
    return 2;
}
