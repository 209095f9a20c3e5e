using System.Globalization;

namespace Ioxide.Arena;

/// <summary>Sums of two numbers, and of the body where there is one.</summary>
internal static class SumEndpoints
{
    internal static void MapSums(this IEndpointRouteBuilder routes)
    {
        routes.MapGet("/pipeline", static () => "ok");
        routes.MapGet("/baseline11", static (int a, int b) => Text(a + b));
        routes.MapGet("/baseline2", static (int a, int b) => Text(a + b));
        routes.MapPost("/baseline11", static async Task<IResult> (int a, int b, Stream body, CancellationToken cancellation) =>
        {
            using var reader = new StreamReader(body, leaveOpen: true);
            return int.TryParse(await reader.ReadToEndAsync(cancellation), CultureInfo.InvariantCulture, out int c)
                ? TypedResults.Text(Text(a + b + c))
                : TypedResults.BadRequest();
        });
    }

    private static string Text(int number) => number.ToString(CultureInfo.InvariantCulture);
}
